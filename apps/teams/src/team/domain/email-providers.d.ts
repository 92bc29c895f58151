/** The domains of public mailbox providers, in lower case. */
declare module 'email-providers' {
  const domains: readonly string[];
  export default domains;
}
