import { About, Int, nullable, Opaque, Optional, text } from '@carillon/schema';

/** A page of a list. */
export interface ListPage<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** The cursor of the next list page. */
export const nextCursor = nullable(text('Give it as `cursor` to get the next page; null at the end.'));

/** The common input of all lists. */
export class ListQuery {
  @About('How many entries a page has at most.') @Optional() @Int(1, 100) limit?: number;
  @About('`nextCursor` of the page before.') @Optional() @Opaque(1, 512) cursor?: string;
}

/** The number of entries of a list page, with its default. */
export const listLimit = ({ limit }: { readonly limit?: number | undefined }): number => limit ?? 50;
