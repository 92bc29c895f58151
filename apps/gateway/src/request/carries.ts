import { SetMetadata } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import type { Row } from './row';

const ROW = 'carillon:row';

/** Puts a row on a method of a handwritten controller, for routes that are not just request, ask, reply. */
export const Carries = (row: Row): MethodDecorator => SetMetadata(ROW, row);

export const rowOf = (reflector: Reflector, handler: object): Row | undefined =>
  reflector.get<Row | undefined>(ROW, handler as never);
