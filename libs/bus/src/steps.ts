/** A span of the caller. */
export const asking = (subject: string) => step('send', 'client', subject);

/** A span of the handler. */
export const answering = (subject: string) => step('process', 'server', subject);

/** The error of an outcome, for its span; a refusal is no error. */
export const faultOf = (outcome: string): string | undefined =>
  outcome === 'answered' || outcome === 'refused' ? undefined : outcome;

const step = <Kind extends 'client' | 'server'>(
  operation: 'send' | 'process',
  kind: Kind,
  subject: string,
) => ({
  name: `${operation} ${subject}`,
  kind,
  attributes: {
    'messaging.system': 'nats',
    'messaging.operation.name': operation,
    'messaging.operation.type': operation,
    'messaging.destination.name': subject,
  },
});
