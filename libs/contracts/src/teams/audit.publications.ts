import { type Publications, unpublished } from '../published/publication';
import type { AuditRecorded } from './audit.events';

export const auditPublications: Publications<AuditRecorded> = { AuditRecorded: unpublished };
