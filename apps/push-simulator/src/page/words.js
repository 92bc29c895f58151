// What the page tells a person about a press.

const ends = {
  approved: 'it was approved',
  denied: 'it was denied',
  yes: 'the answer was yes',
  no: 'the answer was no',
  replied: 'somebody has replied',
  canceled: 'it was taken back',
  expired: 'its time was over',
};

const ofPages = {
  PAGE_ALREADY_ACKNOWLEDGED: 'somebody has taken it over already',
  PAGE_ALREADY_RESOLVED: 'too late, it is over',
  NO_FURTHER_ESCALATION: 'nobody else is left to call',
};

/** Why a press changed nothing, from the answer of the service; nothing when it was taken. */
export function refusal({ status, body }) {
  if (status >= 200 && status < 300) return undefined;
  if (status === 0) return 'the service does not answer';
  const code = typeof body?.code === 'string' ? body.code : '';
  const said = `(${status}${code ? ` ${code}` : ''})`;
  if (code === 'INTERACTION_NOT_PENDING') return `too late, ${ends[body.status] ?? 'it has ended'} ${said}`;
  if (code in ofPages) return `${ofPages[code]} ${said}`;
  if (code === 'DIGEST_MISMATCH') return `this phone shows something else than what is asked ${said}`;
  return `the service did not take it ${said}`;
}
