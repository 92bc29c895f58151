import { About, Int, nullable, Opaque, Optional, text } from '@carillon/schema';

/** A page of a list. */
export interface ListPage<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** How a page of a list tells where the next one begins. */
export const nextCursor = nullable(text('Give it as `cursor` to get the next page; null at the end.'));

/** What every list takes. */
export class ListQuery {
  @About('How many entries a page has at most.') @Optional() @Int(1, 100) limit?: number;
  @About('`nextCursor` of the page before.') @Optional() @Opaque(1, 512) cursor?: string;
}

/** How many entries a page has when the caller does not say. */
export const listLimit = ({ limit }: { readonly limit?: number | undefined }): number => limit ?? 50;
