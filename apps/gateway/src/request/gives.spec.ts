import { gives } from './gives';

const given = (text: string) => gives({ body: Buffer.from(text) }, 'oncall');

describe('a field of a body that nobody has read yet', () => {
  it('is given when the object names it', () =>
    expect(given('{"title":"Down","oncall":"ocg_1"}')).toBe(true));

  it.each([
    '{"title":"oncall"}',
    '{"title":"\\"oncall\\""}',
    '{"more":{"oncall":1}}',
    '["oncall"]',
    '{"oncall":',
    '',
    'null',
  ])('is not given by %s', (text) => expect(given(text)).toBe(false));

  it('is not given without a body', () => expect(gives({ body: undefined }, 'oncall')).toBe(false));
});
