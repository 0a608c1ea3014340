package candidates

import (
	"errors"
	"net"
	"net/http"
	"strconv"

	"github.com/gofiber/fiber/v3"
	"github.com/gofiber/fiber/v3/middleware/idempotency"
	"github.com/gofiber/storage/redis/v3"

	"github.com/idemgen/idemgen/bench/internal/shop"
	"github.com/idemgen/idemgen/bench/internal/shop/api"
	"github.com/idemgen/idemgen/bench/internal/shop/db"
)

const fiberKey = "X-Idempotency-Key" // the middleware's default

// fiberBare is the bare transaction on that framework.
var fiberBare = &Candidate{
	Name:       "fiber",
	Title:      "fiber, bare transaction, no idempotency",
	KeyHeader:  fiberKey,
	OrdersOnly: true,
	serve:      fiberShop(nil),
}

// fiberMemory is its idempotency middleware as it comes.
var fiberMemory = &Candidate{
	Name:       "fiber-memory",
	Title:      "fiber's middleware, in memory",
	KeyHeader:  fiberKey,
	OrdersOnly: true,
	serve:      fiberShop(func(Env) (fiber.Handler, error) { return idempotency.New(), nil }),
}

// fiberRedis is the middleware with its Redis storage, each as its README says.
var fiberRedis = &Candidate{
	Name:       "fiber-redis",
	Title:      "fiber's middleware, in Redis",
	Redis:      true,
	KeyHeader:  fiberKey,
	OrdersOnly: true,
	serve: fiberShop(func(env Env) (fiber.Handler, error) {
		host, port, err := net.SplitHostPort(env.Redis)
		if err != nil {
			return nil, err
		}
		number, err := strconv.Atoi(port)
		if err != nil {
			return nil, err
		}
		store := redis.New(redis.Config{Host: host, Port: number, PoolSize: int(env.Pool.Config().MaxConns)})
		return idempotency.New(idempotency.Config{Storage: store}), nil
	}),
}

// fiberShop serves orders on fiber, behind a middleware if there is one.
func fiberShop(middleware func(Env) (fiber.Handler, error)) func(Env, net.Listener) error {
	return func(env Env, listener net.Listener) error {
		app := fiber.New()
		if middleware != nil {
			handler, err := middleware(env)
			if err != nil {
				return err
			}
			app.Use(handler)
		}
		app.Post("/orders", func(c fiber.Ctx) error { return fiberOrder(c, env) })
		return app.Listener(listener, fiber.ListenConfig{DisableStartupMessage: true})
	}
}

func fiberOrder(c fiber.Ctx, env Env) error {
	var body api.NewOrder
	if err := c.Bind().JSON(&body); err != nil {
		return err
	}
	ctx := c.Context()
	tx, err := env.Pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(ctx) }() // after Commit it does nothing
	order, err := shop.PlaceOrder(ctx, db.New(tx), &body)
	if errors.Is(err, shop.ErrOutOfStock) {
		return c.SendStatus(http.StatusConflict)
	}
	if err != nil {
		return err
	}
	if err := tx.Commit(ctx); err != nil {
		return err
	}
	return c.Status(http.StatusCreated).JSON(order)
}
