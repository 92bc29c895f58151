export { AnswerSerializer, tooLarge } from './answers';
export { Bus, noResponders, timedOut } from './bus';
export { BadNatsSetting, natsOptions, tellWhenBack } from './connection';
export { answer } from './envelope';
export type { Answer, Ask, Caller, Context, Idempotency, Wire } from './envelope';
export { Handles, reportFailures, stored } from './handles';
export { sealed, unproven } from './seal';
export { keyIsFree, KeyUsedUp, mayBeRepetition, underKey } from './idempotency';
