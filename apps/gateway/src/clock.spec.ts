import { secondsIn } from './clock.controller';
import type { ApiError } from './errors/api-error';

const refusal = (body?: string): Pick<ApiError, 'status' | 'code'> => {
  try {
    secondsIn(body === undefined ? undefined : Buffer.from(body));
  } catch (error) {
    return error as ApiError;
  }
  throw new Error('it is taken');
};

describe('moving the clock', () => {
  it.each([0, 1.5, 31_622_400])('takes %d seconds', (seconds) =>
    expect(secondsIn(Buffer.from(JSON.stringify({ advanceSeconds: seconds })))).toBe(seconds),
  );

  it.each(['{', 'null', '[1]', '7', '"a"'])('answers INVALID_JSON to %s', (body) =>
    expect(refusal(body)).toMatchObject({ status: 400, code: 'INVALID_JSON' }),
  );

  it.each([
    undefined,
    '',
    '{}',
    '{"advanceSeconds":-1}',
    '{"advanceSeconds":"1"}',
    '{"advanceSeconds":31622401}',
  ])('answers VALIDATION_FAILED to %s', (body) =>
    expect(refusal(body)).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' }),
  );
});
