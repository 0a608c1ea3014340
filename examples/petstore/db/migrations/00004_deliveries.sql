-- +goose Up

-- What suppliers have brought, accepted or not.
CREATE TABLE deliveries (
    tenant     text        NOT NULL,
    id         bigint      NOT NULL GENERATED ALWAYS AS IDENTITY,
    sku        text        NOT NULL,
    supplier   text        NOT NULL,
    note       text        NOT NULL,
    quantity   integer     NOT NULL CHECK (quantity > 0),
    accepted   boolean     NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, sku) REFERENCES products (tenant, sku)
);

-- +goose Down
DROP TABLE deliveries;
