import {
  check,
  Email,
  Glyph,
  HeaderValue,
  Id,
  Label,
  Line,
  Link,
  Opaque,
  Optional,
  SigningSecret,
  Slug,
  Text,
  When,
} from '@carillon/schema';
import { costlyTexts } from '@carillon/testkit';
import { bearer } from './access/bearer';
import { originOf } from './request/origin';
import { idempotencyKey } from './request/input';
import type { EdgeRequest } from './request/row';

class Everything {
  @Optional() @Text(1, 10_000, { multiline: true }) lines?: string;
  @Optional() @Text(1, 10_000) text?: string;
  @Optional() @Line(10_000) line?: string;
  @Optional() @Opaque(1, 10_000) opaque?: string;
  @Optional() @Label(10_000) label?: string;
  @Optional() @Link('tap') tap?: string;
  @Optional() @Link('webhook') webhook?: string;
  @Optional() @Email() email?: string;
  @Optional() @Slug() slug?: string;
  @Optional() @Glyph() glyph?: string;
  @Optional() @Id() id?: string;
  @Optional() @HeaderValue() header?: string;
  @Optional() @SigningSecret() secret?: string;
  @Optional() @When() when?: string;
}
const fields = [
  'lines',
  'text',
  'line',
  'opaque',
  'label',
  'tap',
  'webhook',
  'email',
  'slug',
  'glyph',
  'id',
  'header',
  'secret',
  'when',
];

describe('the work that a text makes grows with its length', () => {
  it.each(fields)('as the field "%s"', (field) =>
    expect(costlyTexts((text) => check(Everything, { [field]: text }))).toEqual([]),
  );
  // As long as their rules let them be, of which no finding of one before them spares them anything.
  it.each([
    ['tap', 'https://a.test/', 2_000],
    ['tap', 'app://', 2_000],
    ['webhook', 'https://', 2_000],
    ['email', 'a', 250],
    ['email', 'a@', 250],
    ['header', '', 1_000],
    ['glyph', '', 60],
  ])('as a %s that begins with "%s"', (field, beginning, size) =>
    expect(
      costlyTexts((text) => check(Everything, { [field]: `${beginning}${text.slice(0, size)}` })),
    ).toEqual([]),
  );
  it('as a header', () =>
    expect(
      costlyTexts((text) => {
        const headers = {
          'user-agent': text,
          authorization: `Bearer ${text}`,
          'idempotency-key': `"${text}`,
        };
        bearer({ headers });
        originOf({ ip: '127.0.0.1', headers });
        idempotencyKey({ http: { headers } } as unknown as EdgeRequest);
      }),
    ).toEqual([]));
});
