import { ApiError } from '../errors/api-error';
import { ExportPermits } from './export-permits';

const refusal = (take: () => unknown): ApiError => {
  try {
    take();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('It was granted');
};

describe('concurrent exports', () => {
  it('are two of an account, and another’s as well', () => {
    const permits = new ExportPermits();
    const release = permits.take('usr_1');
    permits.take('usr_1');
    expect(refusal(() => permits.take('usr_1'))).toMatchObject({
      status: 429,
      code: 'RATE_LIMITED',
      members: { limit: 2, retryAfter: 10 },
    });
    permits.take('usr_2');
    release();
    release();
    permits.take('usr_1');
    expect(refusal(() => permits.take('usr_1'))).toMatchObject({ status: 429 });
  });

  it('are fifty in all', () => {
    const permits = new ExportPermits();
    const taken = Array.from({ length: 50 }, (_, n) => permits.take(`usr_${n}`));
    expect(refusal(() => permits.take('usr_new'))).toMatchObject({ status: 503, code: 'UNAVAILABLE' });
    taken[0]?.();
    permits.take('usr_new');
  });
});
