import { type AddedApp, App } from '@carillon/contracts';
import { object } from '@carillon/schema';
import { type RowOptions, viewed } from '../request/row';

/** Status 200 when the app existed already and was updated. */
export const addedApp: Pick<RowOptions, 'otherStatus' | 'body' | 'view'> = {
  otherStatus: 200,
  ...viewed(object({ app: App }), ({ app, created }: AddedApp, request) => {
    if (!created) request.status = 200;
    return { app };
  }),
};
