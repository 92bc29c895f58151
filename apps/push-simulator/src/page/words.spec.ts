import { refusal } from './words.js';

describe('what a person is told about a press', () => {
  it.each([
    ['PAGE_ALREADY_ACKNOWLEDGED', 'somebody has taken it over already (409 PAGE_ALREADY_ACKNOWLEDGED)'],
    ['PAGE_ALREADY_RESOLVED', 'too late, it is over (409 PAGE_ALREADY_RESOLVED)'],
    ['NO_FURTHER_ESCALATION', 'nobody else is left to call (409 NO_FURTHER_ESCALATION)'],
  ])('is why a page stays as it is: %s', (code, said) =>
    expect(refusal({ status: 409, body: { code } })).toBe(said),
  );

  it('is nothing bad when it was taken', () =>
    expect(refusal({ status: 200, body: { interaction: {} } })).toBeUndefined());

  it.each([
    ['approved', 'too late, it was approved (409 INTERACTION_NOT_PENDING)'],
    ['canceled', 'too late, it was taken back (409 INTERACTION_NOT_PENDING)'],
    ['expired', 'too late, its time was over (409 INTERACTION_NOT_PENDING)'],
    ['something new', 'too late, it has ended (409 INTERACTION_NOT_PENDING)'],
  ])('is what happened when it comes too late: %s', (status, text) =>
    expect(refusal({ status: 409, body: { code: 'INTERACTION_NOT_PENDING', status } })).toBe(text),
  );

  it('is that the phone shows something else', () =>
    expect(refusal({ status: 409, body: { code: 'DIGEST_MISMATCH' } })).toContain('(409 DIGEST_MISMATCH)'));

  it.each([
    [
      { status: 400, body: { code: 'VALIDATION_FAILED' } },
      'the service did not take it (400 VALIDATION_FAILED)',
    ],
    [{ status: 502, body: '<html>' }, 'the service did not take it (502)'],
    [{ status: 500, body: null }, 'the service did not take it (500)'],
    [{ status: 0, body: { error: 'no answer' } }, 'the service does not answer'],
  ])('is the status otherwise: %j', (said, text) => expect(refusal(said)).toBe(text));
});
