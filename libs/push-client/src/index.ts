export { Audience, type Guest, type Reached, type Target } from './audience';
export { type Pushed, PushOutcomes } from './push-outcomes';
