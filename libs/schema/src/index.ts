export { check, compiled, fieldsOf, viaClassValidator } from './check';
export type { CheckResult, CheckOptions, Field, Issue } from './check';
export { issueCodes, Rule } from './rule';
export type { Asks, IssueCode, Problem, Shape } from './rule';
export {
  About,
  Bool,
  Email,
  Glyph,
  HeaderName,
  HeaderValue,
  HostName,
  Hue,
  Id,
  IdLike,
  Int,
  Label,
  Line,
  Link,
  ListOf,
  ListOfShapes,
  Nested,
  Nullable,
  Num,
  OneOf,
  Opaque,
  Optional,
  RouteName,
  Sha256,
  SigningSecret,
  Slug,
  Text,
  TimeOfDay,
  TunnelId,
  When,
  WhenAsked,
} from './rules';
export {
  bool,
  count,
  either,
  exactly,
  id,
  int,
  list,
  named,
  nullable,
  num,
  object,
  oneOf,
  oneOfKnown,
  openObject,
  optional,
  resource,
  text,
  uri,
  when,
} from './schema';
export type { JsonSchema, Properties, Resource, Schema, Static } from './schema';
export { closedObject, fieldSchema } from './shapes';
export type { Refer } from './shapes';
export { cut, normalised } from './text';
export {
  AtMostWhere,
  ChangesAnyOf,
  EitherOr,
  NotBeside,
  NotBoth,
  OnlyWhere,
  SomethingIn,
  togetherOf,
  TrueNeeds,
} from './together';
