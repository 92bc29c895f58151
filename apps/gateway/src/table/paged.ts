import { NotificationCreated, OncallPageCreated } from '@carillon/contracts';
import { either } from '@carillon/schema';
import { type RowOptions, viewed } from '../request/row';

/** Status 200 when an open page absorbed the new one and nothing was made. */
export const paged: Pick<RowOptions, 'otherStatus' | 'body' | 'view'> = {
  otherStatus: 200,
  ...viewed(OncallPageCreated, (value: OncallPageCreated, request) => {
    if (value.deduplicated) request.status = 200;
    return value;
  }),
};

/** The sent notification, or the page that was made instead. */
export const sentOrPaged = viewed(
  either(NotificationCreated, OncallPageCreated),
  (value: NotificationCreated | OncallPageCreated, request) => {
    if ('deduplicated' in value && value.deduplicated) request.status = 200;
    return value;
  },
);
