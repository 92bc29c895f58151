export const issueCodes = [
  'required',
  'invalid_type',
  'too_short',
  'too_long',
  'too_small',
  'too_big',
  'invalid_format',
  'invalid_value',
  'unknown_field',
  'not_unique',
  'control_character',
] as const;
export type IssueCode = (typeof issueCodes)[number];

/** A class whose class-validator decorators say what an input must be. */
export type Shape<T> = new () => T;

export type LinkKind = 'https' | 'tap' | 'web' | 'webhook';

/** What a rule asks for, in a form from which a schema can be written. */
export type Asks =
  | {
      readonly kind: 'text';
      readonly min: number;
      readonly max: number;
      readonly pattern: string;
      readonly multiline: boolean;
    }
  | {
      readonly kind: 'opaque' | 'formed' | 'point';
      readonly min: number;
      readonly max: number;
      readonly pattern: string;
    }
  | { readonly kind: 'slug' | 'glyph'; readonly max: number; readonly pattern: string }
  | { readonly kind: 'id'; readonly max: number; readonly pattern: string; readonly prefix?: string }
  | { readonly kind: 'one_of'; readonly values: readonly string[] }
  | { readonly kind: 'link'; readonly link: LinkKind; readonly max: number; readonly pattern: string }
  | { readonly kind: 'email'; readonly min: number; readonly max: number; readonly pattern: string }
  | { readonly kind: 'when'; readonly pattern: string; readonly years?: number }
  | { readonly kind: 'int' | 'num'; readonly min: number; readonly max: number }
  | { readonly kind: 'bool' }
  | {
      readonly kind: 'list';
      readonly of: Rule;
      readonly min: number;
      readonly max: number;
      readonly unique: boolean;
    }
  | { readonly kind: 'shape'; readonly shape: Shape<object> }
  | { readonly kind: 'shapes'; readonly shape: Shape<object>; readonly min: number; readonly max: number };

/** Why a value is refused. `at` is the index in a list. */
export interface Problem {
  readonly code: IssueCode;
  readonly message: string;
  readonly at?: number;
}

/** The answer when nothing is wrong: always this very list, so that a value that passes costs no memory. */
export const nothing: readonly Problem[] = [];

/** One rule for one value: the same object decides in class-validator and in the compiled check. */
export class Rule {
  constructor(
    readonly asks: Asks,
    /** What is wrong with a value that was brought into its normal form. */
    readonly problems: (value: unknown) => readonly Problem[],
    /** The normal form of a value. Never throws; leaves alone what it does not understand. */
    readonly normalise: (value: unknown) => unknown,
    /** The value that a text in a query or a path stands for. */
    readonly fromText: (text: string) => unknown = (text) => text,
  ) {}
}
