import { sentenceOf, errorFieldsOf } from './error-fields';

describe('a thrown value', () => {
  it('has the fields that its driver set', () =>
    expect(errorFieldsOf(Object.assign(new Error('No'), { code: 14, type: 'unavailable' }))).toMatchObject({
      code: 14,
      type: 'unavailable',
      message: 'No',
    }));

  it.each([null, undefined, 'No', 7])('has no fields when it is %p', (thrown) => {
    const { code, message, cause } = errorFieldsOf(thrown);
    expect([code, message, cause]).toEqual([undefined, undefined, undefined]);
  });

  it('has a message, whatever its type', () =>
    expect([new Error('No'), 'No', null].map(sentenceOf)).toEqual(['No', 'No', 'null']));
});
