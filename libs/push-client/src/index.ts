export { Audience, type Guest, type Reached, type Target } from './audience';
export { saidOfQuiet } from './quiet';
export { type Pushed, PushOutcomes } from './push-outcomes';
