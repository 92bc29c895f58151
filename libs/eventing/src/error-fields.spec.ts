import { sentenceOf, errorFieldsOf } from './error-fields';

describe('what was thrown', () => {
  it('says what its driver put into it', () =>
    expect(errorFieldsOf(Object.assign(new Error('No'), { code: 14, type: 'unavailable' }))).toMatchObject({
      code: 14,
      type: 'unavailable',
      message: 'No',
    }));

  it.each([null, undefined, 'No', 7])('says nothing of itself where it is %p', (thrown) => {
    const { code, message, cause } = errorFieldsOf(thrown);
    expect([code, message, cause]).toEqual([undefined, undefined, undefined]);
  });

  it('has a sentence, whatever it is', () =>
    expect([new Error('No'), 'No', null].map(sentenceOf)).toEqual(['No', 'No', 'null']));
});
