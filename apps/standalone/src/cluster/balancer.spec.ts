import { secondsIn } from './balancer';

describe('moving the clocks of a cluster', () => {
  it('takes up to 366 days', () => {
    expect(secondsIn('{"advanceSeconds":0}')).toBe(0);
    expect(secondsIn('{"advanceSeconds":31622400}')).toBe(31_622_400);
  });

  it.each(['{', 'null', '[]', '7'])('answers INVALID_JSON to %s', (body) =>
    expect(secondsIn(body)).toMatchObject({ status: 400, body: { code: 'INVALID_JSON' } }),
  );

  it.each(['', '{}', '{"advanceSeconds":"1"}', '{"advanceSeconds":-1}', '{"advanceSeconds":31622401}'])(
    'answers VALIDATION_FAILED to %j',
    (body) => expect(secondsIn(body)).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } }),
  );
});
