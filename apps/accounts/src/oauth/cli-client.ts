/** The client that every installation has: the command line. */
export const commandLine = 'cli';

export const commandLineMetadata = {
  client_id: commandLine,
  client_name: 'Carillon command line',
  redirect_uris: ['http://127.0.0.1/callback'],
  application_type: 'native' as const,
  token_endpoint_auth_method: 'none' as const,
};
