import { id, nullable, resource, type Static, text, uri } from '@carillon/schema';

export const AppSummary = resource('AppSummary', {
  id: id('app'),
  name: text(),
  origin: text(),
  iconUrl: nullable(uri()),
});
export type AppSummary = Static<typeof AppSummary>;
