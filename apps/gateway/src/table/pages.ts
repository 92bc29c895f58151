import type { ApiToken, Device, Page } from '@carillon/contracts';

/** A page as the API names it: its items under the plural of the noun. */
const pageOf =
  <Item>(plural: string) =>
  ({ items, nextCursor }: Page<Item>): unknown => ({ [plural]: items, nextCursor });

export const devicePage = pageOf<Device>('devices');
export const tokenPage = pageOf<ApiToken>('tokens');
