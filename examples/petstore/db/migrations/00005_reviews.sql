-- +goose Up

-- What customers say. Everybody says it once for each product.
CREATE TABLE reviews (
    tenant     text        NOT NULL,
    id         bigint      NOT NULL GENERATED ALWAYS AS IDENTITY,
    sku        text        NOT NULL,
    author     text        NOT NULL,
    stars      integer     NOT NULL CHECK (stars BETWEEN 1 AND 5),
    text       text,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, id),
    CONSTRAINT reviews_product_fkey FOREIGN KEY (tenant, sku) REFERENCES products (tenant, sku),
    CONSTRAINT reviews_author_key UNIQUE (tenant, sku, author)
);

-- +goose Down
DROP TABLE reviews;
