const parameter = 'carillon_pass';

/** The pass of a query, and the query without it: all else stays as it came, in its order. */
export function takePass(query: string): { readonly pass?: string; readonly query: string } {
  if (query === '') return { query };
  const parts = query.split('&');
  const isPass = (part: string): boolean => decoded(part.split('=', 1)[0]!) === parameter;
  const found = parts.find(isPass);
  if (found === undefined) return { query };
  return {
    pass: decoded(found.slice(found.indexOf('=') + 1 || found.length)),
    query: parts.filter((part) => !isPass(part)).join('&'),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
