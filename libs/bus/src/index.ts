export { AnswerSerializer } from './answers';
export { Bus, timedOut } from './bus';
export { natsOptions, tellWhenBack } from './connection';
export { answer } from './envelope';
export type { Answer, Ask, Caller, Context, Idempotency, Wire } from './envelope';
export { Handles, reportFailures, stored } from './handles';
export { sealed } from './seal';
export { keyIsFree, KeyUsedUp, mayBeRepetition, underKey } from './idempotency';
