import { sortedBy } from '@carillon/signing';

/** How the list of activities is sorted. */
export const activityOrder = sortedBy(['created_at', 'desc'], ['activity_id', 'desc']);
