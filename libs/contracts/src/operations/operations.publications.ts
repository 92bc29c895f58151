import { type Publications, unpublished } from '../published/publication';
import type { OperatorActed } from './operations.events';

export const operationPublications: Publications<OperatorActed> = { OperatorActed: unpublished };
