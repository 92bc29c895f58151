/** The bytes, or nothing when the text is not exactly what encoding them would give: one value, one text. */
export function fromBase64url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}
