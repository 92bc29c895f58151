import { InvalidArgumentError, Option } from 'commander';

/** What the API takes, checked here, so that bad input names its option and nothing is sent. */
export const text =
  (longest: number, lines: 'one line' | 'lines' = 'one line') =>
  (value: string): string => {
    const given = value.normalize('NFC').trim();
    const control = lines === 'lines' ? /[\0-\x08\x0b-\x1f\x7f]/ : /[\0-\x1f\x7f]/;
    if (given === '') throw new InvalidArgumentError('It must not be empty.');
    if ([...given].length > longest)
      throw new InvalidArgumentError(`It has more than ${longest} characters.`);
    if (control.test(given)) throw new InvalidArgumentError('It has control characters.');
    return given;
  };

export const whole =
  (least: number, most: number) =>
  (value: string): number => {
    const number = /^\d{1,15}$/.test(value) ? Number(value) : NaN;
    if (!(number >= least && number <= most))
      throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
    return number;
  };

/** A share: `0.4` or `40%`. */
export function share(value: string): number {
  const [, digits, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(value) ?? [];
  const number = digits === undefined ? NaN : Number(digits) / (percent ? 100 : 1);
  if (!(number <= 1)) throw new InvalidArgumentError('It must be from 0 to 1, or from 0% to 100%.');
  return number;
}

export function id(value: string): string {
  if (!/^[A-Za-z0-9_:.-]{1,200}$/.test(value)) throw new InvalidArgumentError('It is no id.');
  return value;
}

export function key(value: string): string {
  if (!/^[\x21-\x7e]{1,255}$/.test(value))
    throw new InvalidArgumentError('It must be 1 to 255 printable characters of ASCII.');
  return value;
}

/** A parameter of a request: repeated with the same key, it is carried out once. */
export const idempotent = (key: string = crypto.randomUUID()): { header: { 'Idempotency-Key': string } } => ({
  header: { 'Idempotency-Key': key },
});

export const isToken = (value: string): boolean => /^[\x21-\x7e]{1,512}$/.test(value);

/** Where a tap leads. */
export function link(value: string): string {
  const url = URL.parse(value);
  const isRefused = /^(?:javascript|data|vbscript|file|blob):$/.test(url?.protocol ?? '');
  if (!url || isRefused || url.username || value.length > 2_048)
    throw new InvalidArgumentError('It must be an absolute address.');
  return value;
}

/** The address of an installation, without a slash at its end. */
export function server(value: string): string {
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash)
    throw new InvalidArgumentError('It must be an address such as https://carillon.example.');
  return url.href.replace(/\/+$/, '');
}

/** An option that may come several times. */
export const several = <T>(flags: string, description: string, parse: (value: string) => T): Option =>
  new Option(flags, description).argParser((value: string, before: T[] = []) => [...before, parse(value)]);
