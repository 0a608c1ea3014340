-- +goose Up

-- The tenant comes first in every key: no reference can cross tenants, and a
-- query that forgets the tenant is one without an index.

CREATE TABLE pets (
    tenant      text        NOT NULL,
    id          bigint      NOT NULL GENERATED ALWAYS AS IDENTITY,
    name        text        NOT NULL CHECK (name <> ''),
    tag         text,
    price_cents bigint      CHECK (price_cents >= 0),
    created_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, id)
);

CREATE TABLE products (
    tenant      text    NOT NULL,
    sku         text    NOT NULL,
    name        text    NOT NULL CHECK (name <> ''),
    price_cents bigint  NOT NULL CHECK (price_cents >= 0),
    stock       integer NOT NULL CHECK (stock >= 0),
    PRIMARY KEY (tenant, sku)
);

CREATE TABLE orders (
    tenant      text        NOT NULL,
    id          bigint      NOT NULL GENERATED ALWAYS AS IDENTITY,
    sku         text        NOT NULL,
    quantity    integer     NOT NULL CHECK (quantity > 0),
    total_cents bigint      NOT NULL CHECK (total_cents >= 0),
    status      text        NOT NULL DEFAULT 'placed' CHECK (status IN ('placed', 'paid', 'canceled')),
    created_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, sku) REFERENCES products (tenant, sku)
);

CREATE TABLE payments (
    tenant         text        NOT NULL,
    id             bigint      NOT NULL GENERATED ALWAYS AS IDENTITY,
    order_id       bigint      NOT NULL,
    amount_cents   bigint      NOT NULL CHECK (amount_cents >= 0),
    refunded_cents bigint      NOT NULL DEFAULT 0 CHECK (refunded_cents BETWEEN 0 AND amount_cents),
    created_at     timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, id),
    UNIQUE (tenant, order_id), -- an order is paid once
    FOREIGN KEY (tenant, order_id) REFERENCES orders (tenant, id)
);

CREATE TABLE refunds (
    tenant       text        NOT NULL,
    id           bigint      NOT NULL GENERATED ALWAYS AS IDENTITY,
    payment_id   bigint      NOT NULL,
    amount_cents bigint      NOT NULL CHECK (amount_cents > 0),
    reason       text,
    created_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, payment_id) REFERENCES payments (tenant, id)
);

-- Written by anybody, so it belongs to no tenant.
CREATE TABLE contact_messages (
    id         bigint      PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    email      text        NOT NULL,
    message    text        NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

-- +goose Down
DROP TABLE contact_messages;
DROP TABLE refunds;
DROP TABLE payments;
DROP TABLE orders;
DROP TABLE products;
DROP TABLE pets;
