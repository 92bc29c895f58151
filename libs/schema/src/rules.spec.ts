import { validateSync } from 'class-validator';
import { check } from './check';
import { Rule, type Shape } from './rule';
import {
  Bool,
  Email,
  HeaderName,
  HeaderValue,
  Id,
  Int,
  Link,
  ListOf,
  Num,
  OneOf,
  Opaque,
  RouteName,
  Sha256,
  SigningSecret,
  TimeOfDay,
  TunnelId,
  Slug,
  Text,
  When,
  WhenAsked,
} from './rules';

/** What becomes of one value under a rule: what is kept, or the codes of what is wrong. */
const under = (decorate: PropertyDecorator, value: unknown): unknown => {
  class Holder {
    field!: unknown;
  }
  decorate(Holder.prototype, 'field');
  const checked = check(Holder as Shape<Holder>, { field: value });
  const raw = validateSync(Object.assign(new Holder(), { field: value }), {
    whitelist: true,
    forbidNonWhitelisted: true,
  });
  expect(raw.length === 0).toBe(checked.ok);
  return checked.ok ? { kept: checked.value.field } : checked.issues.map((issue) => issue.code).join();
};
const kept = (value: unknown) => ({ kept: value });

const family = '👨‍👩‍👧';
const bell = '🔔';

describe('a text', () => {
  it.each<[string, unknown, unknown]>([
    ['at the minimum', 'a', kept('a')],
    ['at the maximum', 'a'.repeat(120), kept('a'.repeat(120))],
    ['over the maximum', 'a'.repeat(121), 'too_long'],
    ['empty', '', 'too_short'],
    ['of white space only', ' \t\n\u00a0\ufeff', 'too_short'],
    ['with white space around it', '  a b\t', kept('a b')],
    ['at the maximum once it is trimmed', ` ${'a'.repeat(120)} `, kept('a'.repeat(120))],
    ['of as many emoji of two units', bell.repeat(120), kept(bell.repeat(120))],
    ['of one emoji too many', bell.repeat(121), 'too_long'],
    ['of emoji of several code points at the maximum', family.repeat(24), kept(family.repeat(24))],
    ['of emoji of several code points over it', family.repeat(25), 'too_long'],
    ['that only fits as NFC', 'e\u0301'.repeat(120), kept('é'.repeat(120))],
    ['that grows when it becomes NFC', '\u0958'.repeat(61), 'too_long'],
    ['a number', 5, 'invalid_type'],
    ['a list', ['a'], 'invalid_type'],
    ['an object', {}, 'invalid_type'],
    ['true', true, 'invalid_type'],
    ['null', null, 'invalid_type'],
    ['with a line break', 'a\nb', 'control_character'],
    ['with a tab', 'a\tb', 'control_character'],
    ['with NUL', 'a\u0000b', 'control_character'],
    ['with DEL', 'a\u007fb', 'control_character'],
    ['with half a surrogate pair', 'a\ud83d', 'invalid_format'],
    ['with the other half', '\udd14a', 'invalid_format'],
    ['with halves in the wrong order', '\udd14\ud83d', 'invalid_format'],
  ])('%s', (_, value, outcome) => expect(under(Text(1, 120), value)).toEqual(outcome));

  it('of at least two is measured in code points', () => {
    expect(under(Text(2, 5), bell)).toBe('too_short');
    expect(under(Text(2, 5), bell + bell)).toEqual(kept(bell + bell));
  });
  it('of several lines may have line breaks and tabs', () =>
    expect(under(Text(1, 9, { multiline: true }), 'a\n\tb')).toEqual(kept('a\n\tb')));
  it.each(['a\rb', 'a\u000bb', 'a\u0000b', 'a\u001bb', 'a\u007fb'])(
    'of several lines may not have %j',
    (value) => expect(under(Text(1, 9, { multiline: true }), value)).toBe('control_character'),
  );
});

describe('the name of a header', () => {
  it.each([
    ['X-Api-Key', kept('X-Api-Key')],
    ["!#$%&'*+-.^_`|~09AZaz", kept("!#$%&'*+-.^_`|~09AZaz")],
    ['a'.repeat(64), kept('a'.repeat(64))],
    ['a'.repeat(65), 'too_long'],
    ['', 'too_short'],
    [' a', 'invalid_format'],
    ['a ', 'invalid_format'],
    ['a b', 'invalid_format'],
    ['a:b', 'invalid_format'],
    ['a\r\nb', 'control_character'],
    ['a\u0000', 'control_character'],
    ['ä', 'invalid_format'],
    ['(a)', 'invalid_format'],
    ['a"b', 'invalid_format'],
    [5, 'invalid_type'],
  ])('%j', (value, outcome) => expect(under(HeaderName(), value)).toEqual(outcome));
});

describe('the value of a header', () => {
  it.each([
    ['Bearer a b', kept('Bearer a b')],
    ['!', kept('!')],
    ['~'.repeat(1024), kept('~'.repeat(1024))],
    ['a'.repeat(1025), 'too_long'],
    ['', 'too_short'],
    [' a', 'invalid_format'],
    ['a ', 'invalid_format'],
    [' ', 'invalid_format'],
    ['a\tb', 'control_character'],
    ['a\r\nX-More: b', 'control_character'],
    ['a\nb', 'control_character'],
    ['a\u0000', 'control_character'],
    ['a\u007f', 'control_character'],
    ['a\u0085b', 'invalid_format'],
    ['é', 'invalid_format'],
    [`${' '.repeat(1023)}\u00e9`, 'invalid_format'],
    [null, 'invalid_type'],
  ])('%j', (value, outcome) => expect(under(HeaderValue(), value)).toEqual(outcome));
});

describe('a signing secret', () => {
  it.each([
    [`whsec_${'A'.repeat(32)}`, kept(`whsec_${'A'.repeat(32)}`)],
    [`whsec_${'+/9z'.repeat(21)}+w==`, kept(`whsec_${'+/9z'.repeat(21)}+w==`)],
    [`whsec_${'A'.repeat(31)}`, 'too_short'],
    [`whsec_${'A'.repeat(89)}`, 'too_long'],
    [`whsec_${'A'.repeat(30)}-_`, 'invalid_format'],
    [`whsec_${'A'.repeat(31)} `, 'invalid_format'],
    [`WHSEC_${'A'.repeat(32)}`, 'invalid_format'],
    [`whsec_${'='.repeat(32)}`, 'invalid_format'],
    [`whsec_${'A'.repeat(16)}=${'A'.repeat(16)}`, 'invalid_format'],
  ])('%j', (value, outcome) => expect(under(SigningSecret(), value)).toEqual(outcome));
});

describe('a time of day', () => {
  it.each([
    ['00:00', kept('00:00')],
    ['23:59', kept('23:59')],
    ['24:00', 'invalid_format'],
    ['9:00', 'invalid_format'],
    ['09:60', 'invalid_format'],
    ['09:00:00', 'invalid_format'],
    [' 09:00', 'invalid_format'],
    ['', 'too_short'],
    [900, 'invalid_type'],
  ])('%j', (value, outcome) => expect(under(TimeOfDay(), value)).toEqual(outcome));
});

describe('an opaque text', () => {
  it.each<[unknown, unknown]>([
    [' a ', kept(' a ')],
    ['e\u0301', kept('e\u0301')],
    [bell.repeat(4), kept(bell.repeat(4))],
    [bell.repeat(5), 'too_long'],
    ['', 'too_short'],
    ['a\n', 'control_character'],
    ['a\u0085', 'invalid_format'],
    ['a\u2028', 'invalid_format'],
    ['\ud800', 'invalid_format'],
    [5, 'invalid_type'],
    [null, 'invalid_type'],
  ])('%j', (value, outcome) => expect(under(Opaque(1, 4), value)).toEqual(outcome));
});

describe('a slug', () => {
  it.each<[unknown, unknown]>([
    ['a', kept('a')],
    [' web.app:1_x-Y ', kept('web.app:1_x-Y')],
    ['a'.repeat(64), kept('a'.repeat(64))],
    ['a'.repeat(65), 'too_long'],
    ['', 'too_short'],
    ['-a', 'invalid_format'],
    ['a b', 'invalid_format'],
    ['é', 'invalid_format'],
    ['a/b', 'invalid_format'],
    [1, 'invalid_type'],
  ])('%j', (value, outcome) => expect(under(Slug(), value)).toEqual(outcome));
});

describe('an id', () => {
  it.each<[unknown, unknown]>([
    ['tok_01k2y5q3r7e8s9t0v1w2x3y4z5', kept('tok_01k2y5q3r7e8s9t0v1w2x3y4z5')],
    ['notification:anot_1', kept('notification:anot_1')],
    ['a'.repeat(200), kept('a'.repeat(200))],
    ['a'.repeat(201), 'too_long'],
    ['', 'too_short'],
    ['a/b', 'invalid_format'],
    ['a b', 'invalid_format'],
    ['ä', 'invalid_format'],
    [7, 'invalid_type'],
    [{ id: 'a' }, 'invalid_type'],
  ])('%j', (value, outcome) => expect(under(Id(), value)).toEqual(outcome));

  it('of another form than its prefix is well-formed: that it does not exist is for the service to say', () =>
    expect(under(Id('tok'), 'dev_1')).toEqual(kept('dev_1')));
});

describe('one of some values', () => {
  it.each<[unknown, unknown]>([
    ['ios', kept('ios')],
    [' ios ', kept('ios')],
    ['IOS', 'invalid_value'],
    ['', 'invalid_value'],
    ['constructor', 'invalid_value'],
    [1, 'invalid_type'],
    [['ios'], 'invalid_type'],
  ])('%j', (value, outcome) => expect(under(OneOf(['ios', 'android']), value)).toEqual(outcome));
});

describe('the name of a tunnel, of a route, and a digest', () => {
  it.each<[unknown, unknown]>([
    ['a1.b_c:d-e', kept('a1.b_c:d-e')],
    [' Tunnel ', kept('Tunnel')],
    ['a'.repeat(128), kept('a'.repeat(128))],
    ['a'.repeat(129), 'too_long'],
    ['', 'too_short'],
    ['a/b', 'invalid_format'],
    [1, 'invalid_type'],
  ])('tunnel %j', (value, outcome) => expect(under(TunnelId(), value)).toEqual(outcome));

  it.each<[unknown, unknown]>([
    ['web', kept('web')],
    [' 1-web ', kept('1-web')],
    ['a'.repeat(40), kept('a'.repeat(40))],
    ['a'.repeat(41), 'too_long'],
    ['-web', 'invalid_format'],
    ['Web', 'invalid_format'],
    ['we_b', 'invalid_format'],
    ['', 'too_short'],
  ])('route %j', (value, outcome) => expect(under(RouteName(), value)).toEqual(outcome));

  it.each<[unknown, unknown]>([
    ['0aF'.padEnd(64, '0'), kept('0aF'.padEnd(64, '0'))],
    ['0'.repeat(63), 'too_short'],
    ['0'.repeat(65), 'too_long'],
    ['g'.repeat(64), 'invalid_format'],
  ])('digest %j', (value, outcome) => expect(under(Sha256(), value)).toEqual(outcome));
});

describe('a link', () => {
  const long = (length: number) => `https://a.example/${'x'.repeat(length - 18)}`;
  it.each<[string, unknown, string, string, string]>([
    // address, what it is as a picture, a tap target, a webhook; on the web a plain http address is taken too
    ['https://a.example/b?c=d', '', 'ok', 'ok', 'ok'],
    ['HTTPS://A.example', '', 'ok', 'ok', 'ok'],
    ['https://a.example:8443/', '', 'ok', 'ok', 'ok'],
    ['https://[::1]/', '', 'ok', 'ok', 'ok'],
    ['https://bücher.example/ä', '', 'ok', 'ok', 'ok'],
    ['https://a.example/#b', '', 'ok', 'ok', 'invalid_format'],
    ['http://a.example/', '', 'invalid_format', 'ok', 'invalid_format'],
    ['myapp://open/1', '', 'invalid_format', 'ok', 'invalid_format'],
    ['mailto:ann@example.com', '', 'invalid_format', 'ok', 'invalid_format'],
    ['tel:+4912345', '', 'invalid_format', 'ok', 'invalid_format'],
    ['javascript:alert(1)', '', 'invalid_format', 'invalid_value', 'invalid_format'],
    ['JavaScript:alert(1)', '', 'invalid_format', 'invalid_value', 'invalid_format'],
    ['data:text/html,x', '', 'invalid_format', 'invalid_value', 'invalid_format'],
    ['vbscript:x', '', 'invalid_format', 'invalid_value', 'invalid_format'],
    ['file:///etc/passwd', '', 'invalid_format', 'invalid_value', 'invalid_format'],
    ['blob:https://a.example/1', '', 'invalid_format', 'invalid_value', 'invalid_format'],
    ['java\tscript:alert(1)', '', 'control_character', 'control_character', 'control_character'],
    ['java script:alert(1)', '', 'invalid_format', 'invalid_format', 'invalid_format'],
    ['c:\\windows', '', 'invalid_format', 'invalid_format', 'invalid_format'],
    ['/path', '', 'invalid_format', 'invalid_format', 'invalid_format'],
    ['//a.example/', '', 'invalid_format', 'invalid_format', 'invalid_format'],
    ['a.example', '', 'invalid_format', 'invalid_format', 'invalid_format'],
    ['https:a.example', '', 'invalid_format', 'invalid_format', 'invalid_format'],
    ['https:///a.example', '', 'invalid_format', 'invalid_format', 'invalid_format'],
    ['https:\\\\a.example', '', 'invalid_format', 'invalid_format', 'invalid_format'],
    ['https://a.example\\@b.example', '', 'invalid_format', 'invalid_format', 'invalid_format'],
    ['https://ann:pw@a.example/', '', 'invalid_format', 'invalid_format', 'invalid_format'],
    ['https://@a.example/', '', 'invalid_format', 'invalid_format', 'invalid_format'],
    ['myapp://ann:pw@host/', '', 'invalid_format', 'invalid_format', 'invalid_format'],
    ['https://a.example/x y', '', 'invalid_format', 'invalid_format', 'invalid_format'],
    ['https://a.example:99999/', '', 'invalid_format', 'invalid_format', 'invalid_format'],
    ['https://a.example:0/', '', 'ok', 'ok', 'invalid_value'],
    ['https://a.example:00/x', '', 'ok', 'ok', 'invalid_value'],
    ['https://a.example:10/', '', 'ok', 'ok', 'ok'],
    ['https://%/', '', 'invalid_format', 'invalid_format', 'invalid_format'],
    ['', '', 'too_short', 'too_short', 'too_short'],
    [long(2048), '', 'ok', 'ok', 'ok'],
    [long(2049), '', 'too_long', 'too_long', 'too_long'],
  ])('%s', (address, _, picture, tap, webhook) => {
    const outcome = (expected: string) => (expected === 'ok' ? kept(address) : expected);
    expect(under(Link('https'), address)).toEqual(outcome(picture));
    expect(under(Link('tap'), address)).toEqual(outcome(tap));
    expect(under(Link('webhook'), address)).toEqual(outcome(webhook));
    expect(under(Link('web'), address)).toEqual(outcome(/^http:/.test(address) ? tap : picture));
  });
});

it('an address with letters beyond ASCII is taken the thousandth time as the first', () => {
  const { problems } = Link.rule('webhook');
  let refused = 0;
  for (let time = 0; time < 50_000; time += 1) refused += problems('https://bücher.example/ä').length;
  expect(refused).toBe(0);
});

describe('a date and time', () => {
  it.each<[unknown, unknown]>([
    ['2026-11-20T17:29:00.000Z', kept('2026-11-20T17:29:00.000Z')],
    ['2026-11-20T17:29:00Z', kept('2026-11-20T17:29:00.000Z')],
    [' 2026-11-20t17:29:00z ', kept('2026-11-20T17:29:00.000Z')],
    ['2026-11-20T17:29:00+02:00', kept('2026-11-20T15:29:00.000Z')],
    ['2026-11-20T17:29:00-23:59', kept('2026-11-21T17:28:00.000Z')],
    ['2026-11-20T17:29:00-00:00', kept('2026-11-20T17:29:00.000Z')],
    ['2026-11-20T17:29:00.1Z', kept('2026-11-20T17:29:00.100Z')],
    ['2026-11-20T17:29:00.123999999Z', kept('2026-11-20T17:29:00.123Z')],
    ['2024-02-29T00:00:00Z', kept('2024-02-29T00:00:00.000Z')],
    ['1900-01-01T00:00:00Z', kept('1900-01-01T00:00:00.000Z')],
    ['2199-12-31T23:59:59.999Z', kept('2199-12-31T23:59:59.999Z')],
    ['1899-12-31T23:59:59.999Z', 'too_small'],
    ['0099-01-01T00:00:00Z', 'too_small'],
    ['2200-01-01T00:00:00Z', 'too_big'],
    ['9999-12-30T12:00:00Z', 'too_big'],
    ['2016-12-31T23:59:60Z', kept('2017-01-01T00:00:00.000Z')],
    ['2017-01-01T01:59:60+02:00', kept('2017-01-01T00:00:00.000Z')],
    ['2016-12-31T22:59:60Z', 'invalid_format'],
    ['2026-02-29T00:00:00Z', 'invalid_format'],
    ['2026-04-31T00:00:00Z', 'invalid_format'],
    ['2026-13-01T00:00:00Z', 'invalid_format'],
    ['2026-00-01T00:00:00Z', 'invalid_format'],
    ['2026-01-01T24:00:00Z', 'invalid_format'],
    ['2026-01-01T00:60:00Z', 'invalid_format'],
    ['2026-01-01T00:00:61Z', 'invalid_format'],
    ['2026-01-01T00:00:00+24:00', 'invalid_format'],
    ['2026-01-01T00:00:00+01:60', 'invalid_format'],
    ['2026-01-01T00:00:00', 'invalid_format'],
    ['2026-01-01 00:00:00Z', 'invalid_format'],
    ['2026-01-01', 'invalid_format'],
    ['0000-01-01T00:00:00Z', 'invalid_format'],
    ['9999-12-31T23:59:59-01:00', 'invalid_format'],
    ['Tue, 20 Nov 2026 17:29:00 GMT', 'invalid_format'],
    ['', 'invalid_format'],
    [1763659740000, 'invalid_type'],
    [null, 'invalid_type'],
  ])('%j', (value, outcome) => expect(under(When(), value)).toEqual(outcome));

  it('of a query is at most 20 years from now', () => {
    const inYears = (years: number): string =>
      new Date(Date.now() + years * 365.25 * 24 * 3_600_000).toISOString();
    for (const near of [inYears(-19.9), inYears(0), inYears(19.9)])
      expect(under(WhenAsked(), near)).toEqual(kept(near));
    expect(under(WhenAsked(), inYears(-20.1))).toBe('too_small');
    expect(under(WhenAsked(), inYears(20.1))).toBe('too_big');
    expect(under(WhenAsked(), '9999-12-30T12:00:00Z')).toBe('too_big');
    expect(under(WhenAsked(), '0001-01-01T00:00:00Z')).toBe('too_small');
  });
});

describe('an email address', () => {
  const domain = 'example.com';
  it.each<[unknown, unknown]>([
    ['ann@example.com', kept('ann@example.com')],
    [' Ann@Example.com ', kept('Ann@Example.com')],
    ['a+b@sub.example.com', kept('a+b@sub.example.com')],
    ['a@', 'too_short'],
    ['ann', 'invalid_format'],
    ['Ann <ann@example.com>', 'invalid_format'],
    ['annexample.com', 'invalid_format'],
    ['ann@exa mple.com', 'invalid_format'],
    ['ann@example', 'invalid_format'],
    [`${'a'.repeat(243)}@${domain}`, 'too_long'],
    ['ann@example.com\nbcc:x', 'control_character'],
    [5, 'invalid_type'],
  ])('%j', (value, outcome) => expect(under(Email(), value)).toEqual(outcome));
});

describe('a number', () => {
  it.each<[unknown, unknown, unknown]>([
    [1, kept(1), kept(1)],
    [10, kept(10), kept(10)],
    [1.5, 'invalid_type', kept(1.5)],
    [0, 'too_small', 'too_small'],
    [11, 'too_big', 'too_big'],
    [1e300, 'too_big', 'too_big'],
    ['5', 'invalid_type', 'invalid_type'],
    [true, 'invalid_type', 'invalid_type'],
    [[5], 'invalid_type', 'invalid_type'],
    [Number.NaN, 'invalid_type', 'invalid_type'],
    [Number.POSITIVE_INFINITY, 'invalid_type', 'invalid_type'],
    [null, 'invalid_type', 'invalid_type'],
  ])('%j', (value, whole, any) => {
    expect(under(Int(1, 10), value)).toEqual(whole);
    expect(under(Num(1, 10), value)).toEqual(any);
  });
  it('is never minus zero', () => expect(under(Int(0, 1), -0)).toStrictEqual(kept(0)));
});

describe('a yes or no', () => {
  it.each<[unknown, unknown]>([
    [true, kept(true)],
    [false, kept(false)],
    ['true', 'invalid_type'],
    [1, 'invalid_type'],
    [null, 'invalid_type'],
  ])('%j', (value, outcome) => expect(under(Bool(), value)).toEqual(outcome));
});

describe('a list', () => {
  const choices = ListOf(Text.rule(1, 3), { min: 1, max: 3, unique: true });
  it.each<[unknown, unknown]>([
    [['a'], kept(['a'])],
    [['a', ' b ', 'c'], kept(['a', 'b', 'c'])],
    [[], 'too_short'],
    [['a', 'b', 'c', 'd'], 'too_long'],
    [['a', ' a'], 'not_unique'],
    [['é', 'e\u0301'], 'not_unique'],
    [['abcd', 5, 'a'], 'too_long,invalid_type'],
    [[null], 'invalid_type'],
    [[['a']], 'invalid_type'],
    ['a', 'invalid_type'],
    [{ 0: 'a', length: 1 }, 'invalid_type'],
    [null, 'invalid_type'],
  ])('%j', (value, outcome) => expect(under(choices, value)).toEqual(outcome));
});

it('every rule for entries of a list is a rule with something to describe it by', () => {
  const made = [Text.rule(1, 2), Id.rule('dev'), OneOf.rule(['a']), Slug.rule(), Int.rule(1, 2)];
  for (const rule of made) expect(rule).toBeInstanceOf(Rule);
  expect(made.map((rule) => rule.asks.kind)).toEqual(['text', 'id', 'one_of', 'slug', 'int']);
});
