import type { Row } from '../request/row';

/**
 * Which methods the table knows at a path; none when the path is unknown. A path that a row names as it is has only its
 * own, not those of ids that could be called like it.
 */
export function methodsAt(rows: readonly Row[]): (path: string) => string[] {
  const forms = rows.map((row) => ({
    method: row.method,
    names: row.path.split('/').filter((part) => /^[:*]/.test(part)).length,
    form: new RegExp(`^${row.path.split('/').map(formOf).join('/')}$`),
  }));
  return (path) => {
    const fitting = forms.filter(({ form }) => form.test(path));
    const fewest = Math.min(...fitting.map(({ names }) => names));
    return [...new Set(fitting.filter(({ names }) => names === fewest).map(({ method }) => method))].sort();
  };
}

function formOf(part: string): string {
  if (part === '*') return '.*';
  return part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/**
 * A URL whose path can be decoded: otherwise its percent signs are escaped. So the URL finds its route, and the access
 * guard runs before the id in it is refused.
 */
export function decodable(url: string): string {
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  if (!path.includes('%')) return url;
  try {
    decodeURIComponent(path);
    return url;
  } catch {
    return `${path.replaceAll('%', '%25')}${end < 0 ? '' : url.slice(end)}`;
  }
}
