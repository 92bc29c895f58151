import { NotificationCreated, OncallPageCreated } from '@carillon/contracts';
import { either } from '@carillon/schema';
import { type RowOptions, viewed } from '../request/row';

/** A page that an open one has absorbed made nothing. */
export const paged: Pick<RowOptions, 'otherStatus' | 'body' | 'view'> = {
  otherStatus: 200,
  ...viewed(OncallPageCreated, (value: OncallPageCreated, request) => {
    if (value.deduplicated) request.status = 200;
    return value;
  }),
};

/** What was sent, or the page that it was instead. */
export const sentOrPaged = viewed(
  either(NotificationCreated, OncallPageCreated),
  (value: NotificationCreated | OncallPageCreated, request) => {
    if ('deduplicated' in value && value.deduplicated) request.status = 200;
    return value;
  },
);
