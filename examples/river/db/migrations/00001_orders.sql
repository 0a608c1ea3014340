-- +goose Up
CREATE TABLE orders (
    id       bigint  PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    email    text    NOT NULL,
    quantity integer NOT NULL CHECK (quantity > 0)
);

-- +goose Down
DROP TABLE orders;
