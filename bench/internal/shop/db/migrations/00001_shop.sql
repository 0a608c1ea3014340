-- +goose Up
CREATE TABLE products (
    sku         text    PRIMARY KEY,
    price_cents bigint  NOT NULL,
    stock       integer NOT NULL CHECK (stock >= 0)
) WITH (fillfactor = 80); -- it is updated all the time

CREATE TABLE orders (
    id          bigint      PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    sku         text        NOT NULL REFERENCES products,
    quantity    integer     NOT NULL,
    reference   text        NOT NULL,
    total_cents bigint      NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE reviews (
    id         bigint      PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    sku        text        NOT NULL,
    stars      integer     NOT NULL,
    text       text        NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

-- So many that concurrent orders hardly ever meet at one.
INSERT INTO products SELECT 'sku-' || to_char(n, 'FM00000'), 1000 + n, 1000000000 FROM generate_series(0, 9999) n;

-- +goose Down
DROP TABLE reviews;
DROP TABLE orders;
DROP TABLE products;
