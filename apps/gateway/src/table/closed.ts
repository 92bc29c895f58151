import type { INestApplication } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, ModulesContainer, type Reflector } from '@nestjs/core';
import { METHOD_METADATA } from '@nestjs/common/constants.js';
import { rowOf } from '../request/carries';

/** Closed by default: the gateway does not start with a handler without a row. */
export function refuseHandlersWithoutRow(app: INestApplication, reflector: Reflector): void {
  const discovery = new DiscoveryService(app.get(ModulesContainer));
  const scanner = new MetadataScanner();
  for (const { instance, name } of discovery.getControllers()) {
    const prototype: Readonly<Record<string, object>> = Object.getPrototypeOf(instance);
    for (const method of scanner.getAllMethodNames(prototype)) {
      const handler = prototype[method];
      if (
        handler &&
        Reflect.getMetadata(METHOD_METADATA, handler) !== undefined &&
        !rowOf(reflector, handler)
      )
        throw new Error(`The handler ${name}.${method} has no row in the route table`);
    }
  }
}
