export { PushOutcomes, type Settled } from './push-outcomes';
