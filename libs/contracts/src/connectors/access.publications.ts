import { type Publications, unpublished } from '../published/publication';
import type { AppOpened, GatewaySessionEvent, PassEvent } from './access.events';

export const accessPublications: Publications<PassEvent | GatewaySessionEvent | AppOpened> = {
  PassIssued: unpublished,
  PassSpent: unpublished,
  GatewaySessionBegun: unpublished,
  GatewaySessionUsed: unpublished,
  AppOpened: unpublished,
};
