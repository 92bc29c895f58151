/** A part of an export, with its path for messages. What is not as expected throws one sentence that names the path. */
export class Part {
  constructor(
    private readonly value: unknown,
    readonly path = '',
  ) {}

  get isGiven(): boolean {
    return this.value !== undefined && this.value !== null;
  }

  /** A member of this object; of what is not given, nothing is. */
  get(name: string): Part {
    const path = this.path === '' ? name : `${this.path}.${name}`;
    if (!this.isGiven) return new Part(undefined, path);
    if (typeof this.value !== 'object' || Array.isArray(this.value)) throw this.isNo('object');
    return new Part(Object.entries(this.value ?? {}).find(([key]) => key === name)?.[1], path);
  }

  /** The elements; none when it is not given. */
  list(): Part[] {
    if (!this.isGiven) return [];
    if (!Array.isArray(this.value)) throw this.isNo('list');
    return this.value.map((each: unknown, index) => new Part(each, `${this.path}[${index}]`));
  }

  text(): string {
    if (typeof this.value !== 'string') throw this.isNo('text');
    return this.value;
  }

  number(): number {
    if (typeof this.value !== 'number' || !Number.isFinite(this.value)) throw this.isNo('number');
    return this.value;
  }

  flag(): boolean {
    if (typeof this.value !== 'boolean') throw this.isNo('boolean');
    return this.value;
  }

  private isNo(what: string): Error {
    return new Error(`the export does not fit: ${this.path || 'the whole of it'} is no ${what}`);
  }
}

/** The export in a file. Throws one sentence. */
export function exportIn(text: string): Part {
  try {
    const parsed: unknown = JSON.parse(text);
    return new Part(parsed);
  } catch {
    throw new Error('the file holds no JSON');
  }
}

/** The elements of a list under a name: as an API answers with it, in `inside`, or the list alone. */
export function listIn(whole: Part, name: string, inside: string): Part[] {
  const part = whole.get(name);
  try {
    return part.list();
  } catch {
    return part.get(inside).list();
  }
}
