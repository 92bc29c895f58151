import type { Row } from './row';

/** Which methods the table knows at a path; none when the path is unknown. */
export function methodsAt(rows: readonly Row[]): (path: string) => string[] {
  const forms = rows.map((row) => ({
    method: row.method,
    form: new RegExp(
      `^${row.path
        .split('/')
        .map((part) => (part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
        .join('/')}$`,
    ),
  }));
  return (path) =>
    [...new Set(forms.filter(({ form }) => form.test(path)).map(({ method }) => method))].sort();
}
