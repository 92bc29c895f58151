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

/** Between a name and its value. After `NAME= ` a shell runs the next word. */
const separator = String.raw`(?:[ \t]+[:=][ \t]+|:[ \t]*|=)`;
/** Quoted, or up to where a shell would read on. */
const value = String.raw`(?:\\?"[^"\n]*"|\\?'[^'\n]*'|(?:[^\s"',;}|&<>()$\x60\\]|\$(?![({])|\\(?!["'\s]))+)`;
const name = String.raw`api[-_]?key|access[-_]?key|secret|token|passwo?r?d|passphrase|credentials?`;
const scheme = String.raw`(?:bearer|basic|token|digest)[ \t]+`;
const lineEnd = String.raw`(?:\\[rn]|\s)+`;

/** The first group stays, the rest is hidden. */
const secrets: readonly RegExp[] = [
  new RegExp(
    String.raw`()-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----` +
      String.raw`(?:${lineEnd}(?:[A-Za-z0-9+/=]{40,}|(?:Proc-Type|DEK-Info): [\w,-]+))*` +
      // The last line of a key may be short, and have a checksum after it; a command in lower case or a path is none.
      String.raw`(?:(?:${lineEnd}(?!/)(?=[a-z/]*[A-Z0-9+=])[A-Za-z0-9+/=]{1,39}){0,2}` +
      String.raw`${lineEnd}-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----)?`,
    'g',
  ),
  new RegExp(
    String.raw`\b((?:proxy-)?authorization\\?["']?` +
      String.raw`(?:(?:[ \t]+[:=][ \t]+|:[ \t]*)(?:\\?["'])?(?:${scheme})?|=(?:\\?["'](?:${scheme})?)?))[^\s"'\\]+`,
    'gi',
  ),
  /(?<!=)\b(bearer[ \t]+)[\w.~+/=-]{8,}/gi,
  /\b([a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@"']*:)[^\s/@"']+(?=@)/gi,
  /()\b(?:sk|pk|rk)[-_](?:[a-z]+[-_])*[A-Za-z0-9_-]{16,}/g,
  /()\b(?:gh[opsur]_|github_pat_|glpat-|xox[abeprs]-|carillon_[a-z]+_|whsec_|npm_|AIza|ya29\.|hf_)[\w./+=-]{8,}/g,
  /()\b(?:pypi-|xapp-|dckr_pat_|dop_v1_|AGE-SECRET-KEY-1|SG\.)[\w.-]{16,}/g,
  /()\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /()\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g,
  new RegExp(String.raw`\b([\w.-]{0,64}(?:${name})\w{0,64}\\?["']?${separator})${value}`, 'gi'),
  new RegExp(String.raw`(--?(?:password|token|secret|api-?key)[= ])${value}`, 'gi'),
];
const settingLine = /^([+-]?[ \t]*(?:export[ \t]+)?[A-Za-z_][A-Za-z0-9_]*=).+$/gm;
/** What a shell may run, or a second line: it is shown, even where a secret is hidden with it otherwise. */
const running = /[\r\n`;|&<>]|\$[({]/;

export function masked(text: string, isSettings = false): string {
  const instead = (match: string, kept: string): string =>
    running.test(match.slice(kept.length)) && !match.startsWith('-----BEGIN') ? match : kept + hidden;
  const patterns = isSettings ? [...secrets, settingLine] : secrets;
  return patterns.reduce((before, pattern) => before.replace(pattern, instead), text);
}

/** Characters that steer a terminal, have no width or turn text become visible: a person sees what will be run. */
export const visible = (text: string): string =>
  text
    .replace(/\r\n/g, '\n')
    .replace(
      /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]|\p{Cf}|\p{Default_Ignorable_Code_Point}/gu,
      (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
    )
    .replace(/\p{Surrogate}/gu, '\ufffd');

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const lines = (mark: string, text: string): string =>
  text
    .split('\n')
    .map((line) => `${mark}${line}`)
    .join('\n');

/** Each text without its secrets, before JSON writes its quotes and line ends in another way. */
function withoutSecrets(value: unknown, isSettings: boolean): unknown {
  if (typeof value === 'string') return masked(value, isSettings);
  if (Array.isArray(value)) return value.map((each) => withoutSecrets(each, isSettings));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      withoutSecrets(each, isSettings && name !== 'command'),
    ]),
  );
}

/** The command, the diff, or else all of the input: every field is named, so that none is approved unseen. */
function written(input: unknown): string {
  if (!isObject(input)) return typeof input === 'string' ? input : (JSON.stringify(input, null, 1) ?? '');
  return Object.entries(input)
    .map(([given, value]) => {
      // A name with a line end could look like another field.
      const name = given.replaceAll(/\s+/g, ' ');
      if (typeof value !== 'string') return `${name}: ${JSON.stringify(value)}`;
      if (name === 'command') return `$ ${value}`;
      if (name === 'old_string') return lines('- ', value);
      if (name === 'new_string' || name === 'content') return lines('+ ', value);
      return value.includes('\n') ? `${name}:\n${lines('  ', value)}` : `${name}: ${value}`;
    })
    .join('\n');
}

/** All of a value, on one line. */
export const shownValue = (value: unknown): string =>
  visible(masked(JSON.stringify(withoutSecrets(value, false)))).normalize('NFC');

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

/** The rules are the lines for what else an answer would do. They come first, so that the cut takes none of them. */
export function shownOf(
  { host, tool, input, folder, session }: ToolCall,
  rules: readonly string[] = [],
): { title: string; prompt: string } {
  const isSettings = /(?:^|[/\\])(?:[\w-]*\.env(?:\.[\w.-]+)?|\.envrc)$/.test(pathOf(input));
  const head = [
    `Tool: ${tool}`,
    ...(folder === undefined ? [] : [`Folder: ${folder}`]),
    ...(session === undefined ? [] : [`Session: ${session}`]),
  ].map((line) => cut(visible(masked(line)).replaceAll('\n', ' '), 300));
  // Before the cut, which could leave the beginning of a secret that no pattern knows.
  const body = visible(masked(written(withoutSecrets(input, isSettings)))).normalize('NFC');
  const before = `${[...head, ...rules].join('\n')}\n\n`;
  const title = [...visible(masked(`${host}: ${tool}`)).replaceAll(/\s+/g, ' ')]
    .slice(0, longestTitle)
    .join('');
  return { title, prompt: before + cut(body, longestPrompt - [...before].length) };
}
