/**
 * Checks of a request that no schema of the documents can express, each with the reason. The documents describe them in
 * words; the specs that compare documents and checks allow no other difference.
 */
export const unwritten = {
  unicode:
    'A text is well-formed Unicode: half a surrogate pair is refused. What NFC makes longer is measured afterwards.',
  host: 'The host of an address, a hostname and a domain are such as a browser takes (WHATWG URL, IDNA); a domain is none of the public suffix list.',
  year: 'A time lies in the years that its description names, in UTC and whatever its offset.',
  emoji: 'An icon that is no name of a symbol is one emoji: one character as a person sees it.',
  moment:
    'Some times must lie ahead, and not too far, and an end after its beginning: it hangs on when the request comes, or on another field.',
  zone: 'A time zone is one that is known here.',
  unique:
    'Names of headers are unique in whatever case, and none that the service sets itself; names of routes are unique, and their addresses on the hostname of the connector.',
  point: 'The `p256dh` of a push subscription is a point of the curve P-256.',
  state:
    'What an update may hold can hang on what is stored: the layout of an activity, the saved value of a header.',
  signed: 'Cursors and read tokens are signed: only what an answer gave is taken.',
} as const;

/** Text for the description of an API. */
export const unwrittenText = `\
**What the schemas say.** A request that fits its schema has a good form, and one that does not is refused; texts are \
brought to NFC and trimmed first. \`format\` is a hint, and \`pattern\` is what is checked, but for \`date-time\`: days are \
those that their month has, and a leap second is the last of a day in UTC. No schema says this:

${Object.values(unwritten)
  .map((said) => `- ${said}`)
  .join('\n')}`;
