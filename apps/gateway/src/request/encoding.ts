export type Encoding = 'br' | 'gzip';

/** The smallest form of a file that is there and that its caller takes; a weight of zero refuses one (RFC 9110). */
export function encodingFor(
  accepted: string | undefined,
  isThere: (encoding: Encoding) => boolean = () => true,
): Encoding | undefined {
  const weights = new Map(
    (accepted ?? '')
      .toLowerCase()
      .split(',')
      .map((each): [string, number] => {
        const [name = '', ...parameters] = each.split(';').map((part) => part.trim());
        const weight = parameters.find((part) => part.startsWith('q='))?.slice(2);
        return [name, weight === undefined ? 1 : Number(weight)];
      }),
  );
  const isTaken = (name: Encoding): boolean => (weights.get(name) ?? weights.get('*') ?? 0) > 0;
  return (['br', 'gzip'] as const).find((encoding) => isThere(encoding) && isTaken(encoding));
}
