import { type AddedApp, App } from '@carillon/contracts';
import { object } from '@carillon/schema';
import { type RowOptions, viewed } from '../request/row';

/** An app that was there already was updated. */
export const addedApp: Pick<RowOptions, 'otherStatus' | 'body' | 'view'> = {
  otherStatus: 200,
  ...viewed(object({ app: App }), ({ app, created }: AddedApp, request) => {
    if (!created) request.status = 200;
    return { app };
  }),
};
