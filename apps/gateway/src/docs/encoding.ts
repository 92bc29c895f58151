export interface Encoding {
  readonly name: 'br' | 'gzip';
  /** What the names of files in this form end with. */
  readonly suffix: '.br' | '.gz';
}

const encodings: readonly Encoding[] = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
];

/** The form in which a client takes a file, the smallest first; undefined is the file as it is (RFC 9110 §12.5.3). */
export function encodingFor(accepted: string | string[] | undefined): Encoding | undefined {
  const weights = new Map(
    String(accepted ?? '')
      .toLowerCase()
      .split(',')
      .map((each): [string, number] => {
        const [name = '', ...parameters] = each.split(';').map((part) => part.trim());
        const weight = parameters.find((part) => part.startsWith('q='))?.slice(2);
        return [name, weight === undefined ? 1 : Number(weight)];
      }),
  );
  return encodings.find(({ name }) => (weights.get(name) ?? weights.get('*') ?? 0) > 0);
}
