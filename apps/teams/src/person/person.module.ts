import type { ServiceOptions } from '@carillon/runtime';
import { Module } from '@nestjs/common';
import { Addresses } from './addresses.client';
import { PeopleProjection } from './people.projection';
import { People } from './people.service';

/** Runs in the service for the names and addresses of people. */
export const personParts = {
  projections: [PeopleProjection],
  providers: [Addresses],
} satisfies Partial<ServiceOptions>;

@Module({
  providers: [People],
  exports: [People],
})
export class PersonModule {}
