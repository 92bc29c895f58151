import { type Publications, unpublished } from '../published/publication';
import type { CallbackEvent } from './callbacks.events';

export const callbackPublications: Publications<CallbackEvent> = {
  CallbackRecorded: unpublished,
  CallbackConsumed: unpublished,
};
