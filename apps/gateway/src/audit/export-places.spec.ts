import { ApiError } from '../errors/api-error';
import { ExportPlaces } from './export-places';

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
    const places = new ExportPlaces();
    const release = places.take('usr_1');
    places.take('usr_1');
    expect(refusal(() => places.take('usr_1'))).toMatchObject({
      status: 429,
      code: 'RATE_LIMITED',
      members: { limit: 2, retryAfter: 10 },
    });
    places.take('usr_2');
    release();
    release();
    places.take('usr_1');
    expect(refusal(() => places.take('usr_1'))).toMatchObject({ status: 429 });
  });

  it('are fifty in all', () => {
    const places = new ExportPlaces();
    const taken = Array.from({ length: 50 }, (_, n) => places.take(`usr_${n}`));
    expect(refusal(() => places.take('usr_new'))).toMatchObject({ status: 503, code: 'UNAVAILABLE' });
    taken[0]?.();
    places.take('usr_new');
  });
});
