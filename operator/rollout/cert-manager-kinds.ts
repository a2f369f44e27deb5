import type { Kind } from '../kube/kind.ts';
import type { KubeObject } from '../kube/object.ts';

/** The objects of cert-manager, as far as they are made and looked at here. */

export interface Certificate extends KubeObject {
  readonly spec: {
    readonly secretName: string;
    readonly secretTemplate: { readonly labels: Readonly<Record<string, string>> };
    readonly commonName: string;
    readonly uris: readonly string[];
    readonly usages: readonly string[];
    readonly duration: string;
    readonly renewBefore: string;
    readonly isCA?: true;
    readonly privateKey: {
      readonly algorithm: 'ECDSA';
      readonly size: 256;
      readonly encoding: 'PKCS8';
      readonly rotationPolicy: 'Always' | 'Never';
    };
    readonly issuerRef: { readonly name: string; readonly kind: string; readonly group: string };
  };
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
  };
}

export interface Issuer extends KubeObject {
  readonly spec: { readonly ca: { readonly secretName: string } };
}

export const CERTIFICATE: Kind<Certificate> = kindOf('certificates', 'Certificate');
export const ISSUER: Kind<Issuer> = kindOf('issuers', 'Issuer');

function kindOf<T extends KubeObject>(plural: string, kind: string): Kind<T> {
  return { group: 'cert-manager.io', version: 'v1', plural, kind, isNamespaced: true };
}
