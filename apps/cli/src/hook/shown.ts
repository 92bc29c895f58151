/** What a person is shown of a tool call, and what the digest of the prompt covers: this text and no other. */
export interface ToolCall {
  readonly host: string;
  readonly tool: string;
  readonly input: unknown;
  readonly folder: string | undefined;
  readonly session: string | undefined;
}

const longestTitle = 120;
const longestPrompt = 4_000;
const hidden = '[secret]';

const secrets: readonly [RegExp, string][] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, hidden],
  [
    /\b((?:proxy-)?authorization["']?\s*[:=]\s*["']?(?:(?:bearer|basic|token|digest)\s+)?)[^\s"'\\]+/gi,
    `$1${hidden}`,
  ],
  [/\b(bearer\s+)[\w.~+/=-]{8,}/gi, `$1${hidden}`],
  [/\b([a-z][a-z0-9+.-]*:\/\/[^\s/:@"']*:)[^\s/@"']+@/gi, `$1${hidden}@`],
  [/\b(?:sk|pk|rk)[-_](?:[a-z]+[-_])*[A-Za-z0-9_-]{16,}/g, hidden],
  [
    /\b(?:gh[opsur]_|github_pat_|glpat-|xox[abeprs]-|carillon_[a-z]+_|whsec_|npm_|AIza|ya29\.|hf_)[\w./+=-]{8,}/g,
    hidden,
  ],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, hidden],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, hidden],
  [
    /\b([A-Za-z0-9_.-]*(?:api_?key|access_?key|secret|token|passwo?r?d|passphrase|credentials?)[A-Za-z0-9_]*["']?\s*[:=]\s*)(?:"[^"\n]*"|'[^'\n]*'|[^\s"',;}]+)/gi,
    `$1${hidden}`,
  ],
  [/(--?(?:password|token|secret|api-?key)[= ])(?:"[^"\n]*"|'[^'\n]*'|[^\s"']+)/gi, `$1${hidden}`],
];
const settingLine = /^([+-]?\s*(?:export\s+)?[A-Za-z_][A-Za-z0-9_]*=).+$/gm;

export function masked(text: string, isSettings = false): string {
  const known = secrets.reduce((before, [pattern, instead]) => before.replace(pattern, instead), text);
  return isSettings ? known.replace(settingLine, `$1${hidden}`) : known;
}

/** Characters that steer a terminal or the direction of text become visible: a person sees what will be run. */
const visible = (text: string): string =>
  text
    .replace(/\r\n/g, '\n')
    .replace(
      /[\0-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
      (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
    )
    .replace(/\p{Surrogate}/gu, '\ufffd');

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const lines = (mark: string, text: unknown): string =>
  String(text)
    .split('\n')
    .map((line) => `${mark}${line}`)
    .join('\n');

/** The command, the diff, or else all of the input: every field is named, so that none is approved unseen. */
function written(input: unknown): string {
  if (!isObject(input)) return typeof input === 'string' ? input : (JSON.stringify(input, null, 1) ?? '');
  return Object.entries(input)
    .map(([name, value]) => {
      if (name === 'command' && typeof value === 'string') return `$ ${value}`;
      if (name === 'old_string') return lines('- ', value);
      if (name === 'new_string' || (name === 'content' && typeof value === 'string'))
        return lines('+ ', value);
      return `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`;
    })
    .join('\n');
}

const pathOf = (input: unknown): string => {
  if (!isObject(input)) return '';
  return String(input['file_path'] ?? input['path'] ?? input['filePath'] ?? '');
};

function cut(text: string, longest: number): string {
  const characters = [...text];
  if (characters.length <= longest) return text;
  const note = (shown: number): string =>
    `\n[cut: the first ${shown} of ${characters.length} characters are shown]`;
  const shown = longest - note(longest).length;
  return characters.slice(0, shown).join('') + note(shown);
}

export function shownOf({ host, tool, input, folder, session }: ToolCall): { title: string; prompt: string } {
  const isSettings = /(?:^|[/\\])\.env(?:\.[\w.-]+)?$/.test(pathOf(input));
  const head = [
    `Tool: ${tool}`,
    ...(folder === undefined ? [] : [`Folder: ${folder}`]),
    ...(session === undefined ? [] : [`Session: ${session}`]),
  ].map((line) => cut(visible(masked(line)).replaceAll('\n', ' '), 300));
  // Before the cut, which could leave the beginning of a secret that no pattern knows.
  const body = visible(masked(written(input), isSettings)).normalize('NFC');
  const before = `${head.join('\n')}\n\n`;
  const title = [...visible(masked(`${host}: ${tool}`)).replaceAll(/\s+/g, ' ')]
    .slice(0, longestTitle)
    .join('');
  return { title, prompt: before + cut(body, longestPrompt - [...before].length) };
}
