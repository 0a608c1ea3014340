-- +goose Up
CREATE TABLE orders (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    customer text NOT NULL,
    sku      text NOT NULL,
    quantity integer NOT NULL
);

-- +goose Down
DROP TABLE orders;
