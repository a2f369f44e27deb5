/** A schema of a CustomResourceDefinition: each word of it that ours uses. One that is new there does not compile before it is known here. */
export interface Schema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'boolean';
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly pattern?: string;
  readonly format?: 'int32' | 'int64' | 'date-time';
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-list-type'?: 'map' | 'atomic';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-validations'?: readonly SchemaRule[];
}

/** A condition in the Common Expression Language, which the API server evaluates. */
export interface SchemaRule {
  readonly rule: string;
  readonly message: string;
  /** The field that the message is about, below the schema's own one: `.workers.template`. */
  readonly fieldPath?: string;
  readonly reason?: string;
}
